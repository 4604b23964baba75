import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asComment, bundledPackages, LIST_OF_PASSWORDS, noticesOf } from '../notices.mjs';
import { buildWorker, ROOT } from './build.ts';

/** Compressed twins are for Node's server, and the page is in the worker. */
const NOT_UPLOADED = ['*.br', '*.gz', '/index.html'];

// Builds the files that `wrangler deploy` uploads.
const metafile = await buildWorker({ outdir: 'dist/edge' });
const notices = await noticesOf(ROOT, [...bundledPackages([metafile]), LIST_OF_PASSWORDS]);
await appendFile(join(ROOT, 'dist/edge/worker.js'), asComment(notices));
await writeFile(join(ROOT, 'dist/public/.assetsignore'), `${NOT_UPLOADED.join('\n')}\n`);
