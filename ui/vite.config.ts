import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv } from "vite";

// While the page is edited, `npm run dev` passes what it asks on to a server, named by the address that it printed.
export default defineConfig(({ mode }) => {
  const server = new URL(loadEnv(mode, ".", "OUTTAKE")["OUTTAKE_SERVER"] ?? "http://127.0.0.1:8765");
  const headers = { authorization: `Bearer ${server.searchParams.get("token") ?? ""}`, origin: server.origin };
  return {
    plugins: [react()],
    resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
    build: {
      outDir: "../src/outtake/server/static",
      emptyOutDir: true,
      target: "es2022",
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 900,
    },
    server: { proxy: { "/api": { target: server.origin, ws: true, changeOrigin: true, headers } } },
  };
});
