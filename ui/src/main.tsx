import "./api/token"; // before the router reads the address
import "./outtake.css";

import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { EditorAddress } from "./kit/SourceLink";
import { router } from "./router";
import { usePrefs } from "./state/prefs";
import { theme, variables } from "./theme";
import { Entrance } from "./views/shell/Entrance";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
const queries = new QueryClient({
  defaultOptions: { queries: { retry: 1, refetchOnWindowFocus: false, staleTime: 5000 } },
});

// A newer server has other files: what is loaded late is asked for under its old name.  A server that is away has none, and
// one whose files are not whole does not get better by asking again and again.
const RELOADED = "outtake-reloaded";
const REST = 30_000;
window.addEventListener("vite:preloadError", () => {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED) ?? 0) < REST) return;
  void fetch("/icon.svg", { cache: "no-store" }).then(
    (answer) => {
      if (!answer.ok) return;
      sessionStorage.setItem(RELOADED, String(Date.now()));
      location.reload();
    },
    () => undefined,
  );
});

/** Lines of source open in the editor that the person has chosen. */
function Sources({ children }: { children: ReactNode }) {
  return <EditorAddress value={usePrefs((prefs) => prefs.editor)}>{children}</EditorAddress>;
}

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queries}>
          <Notifications position="bottom-center" limit={4} />
          <Entrance>
            <Sources>
              <RouterProvider router={router} />
            </Sources>
          </Entrance>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
