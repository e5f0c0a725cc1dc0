import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where a server runs whose data the development server shows. */
const SERVER = process.env.KENNING_CONSOLE_API ?? "http://localhost:8080";

export default defineConfig({
  root: import.meta.dirname,
  // The server sends the page for every address below /w/, and these files from here.
  base: "/console/",
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2024",
    // A style sheet may not be turned into a `data:` address: the page's policy loads nothing from there.
    assetsInlineLimit: 0,
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/d/", "/assets", "/sign-in", "/sign-out"].map((path) => [path, SERVER]),
    ),
  },
});
