import { buildServer, ROOT } from '../server/process.ts';

/** Builds `dist/` once for all suites that start it, as `npm start` does. */
export default () => buildServer(ROOT, { fast: true });
