import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv } from "vite";

// `npm run dev` passes what the page asks of the server on to a running `outtake serve`.
export default defineConfig(({ mode }) => ({
  plugins: [react()],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  build: {
    outDir: "../src/outtake/server/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
  server: {
    proxy: { "/api": { target: loadEnv(mode, ".", "OUTTAKE")["OUTTAKE_SERVER"] ?? "http://127.0.0.1:8765", ws: true } },
  },
}));
