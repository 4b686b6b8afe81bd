import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv } from "vite";

import { usedRules } from "./plugins/usedRules.ts";

const SHEETS = ["@mantine/core/styles.css", "@mantine/notifications/styles.css", "@mantine/spotlight/styles.css"];

// While the page is edited, `npm run dev` passes what it asks on to a server, named by the address that it printed.
export default defineConfig(({ mode }) => {
  const server = new URL(loadEnv(mode, ".", "OUTTAKE")["OUTTAKE_SERVER"] ?? "http://127.0.0.1:8765");
  const headers = { authorization: `Bearer ${server.searchParams.get("token") ?? ""}`, origin: server.origin };
  return {
    plugins: [react(), usedRules(SHEETS)],
    resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
    build: {
      outDir: "../src/outtake/server/static",
      emptyOutDir: true,
      target: "es2022",
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 900,
      // What several views need comes in two files rather than fifty: fewer questions, and better packed.
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [
              { name: "libraries", test: /node_modules/, minShareCount: 2 },
              { name: "shared", test: /\/src\//, minShareCount: 2 },
            ],
          },
        },
      },
    },
    server: { proxy: { "/api": { target: server.origin, ws: true, changeOrigin: true, headers } } },
  };
});
