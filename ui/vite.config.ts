import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { groups } from './chunks.ts';
import { preloadPages } from './preload-pages.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The server to which `npm run dev` forwards API requests. */
const SERVER = process.env.SVC_BASE_URL ?? 'http://localhost:8080';

export default defineConfig({
  root: here('.'),
  publicDir: false,
  plugins: [react(), preloadPages()],
  build: {
    outDir: here('../dist/public'),
    // The directory also contains the agent and the API documentation.
    emptyOutDir: false,
    // File names contain a hash of the content, so that browsers may cache them forever.
    assetsDir: 'assets/ui',
    // The content security policy of the page blocks images inside style sheets.
    assetsInlineLimit: 0,
    // One style sheet, and `src/late.css`: Vite does not retry the style sheet of a page that failed to load.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // The names of shared files would list all pages that share them.
        chunkFileNames: ({ name }) => `assets/ui/${name.replace(/~.*/, '')}-[hash].js`,
        codeSplitting: { groups },
      },
    },
    // In kB before compression.
    chunkSizeWarningLimit: 800,
  },
  server: {
    // The server compares Host and Origin, so Host must stay that of the page.
    proxy: Object.fromEntries(
      ['/api', '/assets/svc-agent.mjs', '/assets/swagger-ui-dist'].map((path) => [
        path,
        { target: SERVER, changeOrigin: false },
      ]),
    ),
  },
});
