import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The page of a run that is shared as one file: one script and one style sheet, which the server writes into the file.
export default defineConfig({
  plugins: [react()],
  define: { "process.env.NODE_ENV": '"production"' },
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  publicDir: false,
  build: {
    outDir: "../src/outtake/server/static/share",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    lib: {
      entry: "src/share/main.tsx",
      formats: ["iife"],
      name: "shared",
      fileName: () => "share.js",
      cssFileName: "share",
    },
  },
});
