/** The page of a shared file: the run that is written into it, told without a server. */

import { createRoot } from "react-dom/client";
import type { MantineTheme } from "@mantine/core";

import { variables } from "@/theme";

import type { Shared } from "./data";
import { Page } from "./Page";

const dark = window.matchMedia("(prefers-color-scheme: dark)");

/** The colours of the window; they are set from here, because the policy of the file allows no other style sheet. */
function paint(): void {
  const { light, dark: night } = variables({} as MantineTheme);
  for (const [name, value] of Object.entries(dark.matches ? night : light))
    document.documentElement.style.setProperty(name, value);
}

paint();
dark.addEventListener("change", paint);
const shared = JSON.parse(document.getElementById("run")?.textContent ?? "null") as Shared | null;
const root = document.getElementById("root");
if (root !== null && shared !== null) createRoot(root).render(<Page shared={shared} />);
