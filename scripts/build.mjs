import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildServer, SWAGGER_UI } from './build-server.mjs';
import { buildUi } from './build-ui.mjs';
import { ICONS, LIST_OF_PASSWORDS, NOTICES, noticesOf } from './notices.mjs';

// Everything in dist/: the server's entries, the files it serves as they are (public/), the client, and the agent. Outputs
// newer than their sources stay. With --fast, files are compressed less.
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const began = Date.now();
const fast = process.argv.includes('--fast');

let isAnnounced = false;
function onBuild() {
  if (fast && !isAnnounced)
    process.stdout.write(
      'Building the server and the web UI. This takes a few seconds. Later starts skip it.\n',
    );
  isAnnounced = true;
}

const parts = await Promise.all([buildServer(root, { onBuild }), buildUi(root, { fast, onBuild })]);
if (parts.some((part) => part.began >= began)) {
  const bundled = [...new Set(parts.flatMap(({ packages }) => packages))].sort();
  const notices = await noticesOf(
    root,
    [...bundled, SWAGGER_UI, LIST_OF_PASSWORDS],
    [ICONS, join(SWAGGER_UI, 'swagger-ui-bundle.js.LICENSE.txt')],
  );
  for (const file of NOTICES) await writeFile(join(root, file), notices);
}
