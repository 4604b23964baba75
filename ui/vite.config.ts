import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The server that `npm run dev` passes the API's requests on to. */
const SERVER = process.env.SVC_BASE_URL ?? 'http://localhost:8080';

export default defineConfig({
  root: here('.'),
  publicDir: false,
  plugins: [react()],
  build: {
    outDir: here('../dist/public'),
    // The agent and the API's documentation lie there too.
    emptyOutDir: false,
    // Below it every name holds a hash of what is in it, so that browsers may keep it for ever.
    assetsDir: 'assets/ui',
    // An image inside of a stylesheet would be refused by the policy of the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
    // In kB before compression; tests hold the compressed size of the first load to its limit.
    chunkSizeWarningLimit: 800,
  },
  server: {
    // The Host stays that of the page, as the Origin does: the server compares them.
    proxy: Object.fromEntries(
      ['/api', '/assets/svc-agent.mjs', '/assets/swagger-ui-dist'].map((path) => [
        path,
        { target: SERVER, changeOrigin: false },
      ]),
    ),
  },
});
