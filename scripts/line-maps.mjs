import { readFile, writeFile } from 'node:fs/promises';
import { decode, encode } from '@jridgewell/sourcemap-codec';

/**
 * Leaves the first place of each line in a source map. Node decodes the whole map when the first stack trace is needed, answers no
 * request meanwhile, and keeps it: with each place of the server's bundle, 170 ms and 47 MB.
 * @param {string} file the map
 */
export async function keepLines(file) {
  const map = JSON.parse(await readFile(file, 'utf8'));
  const mappings = encode(
    decode(map.mappings).map((places) => places.slice(0, 1).map((place) => place.slice(0, 4))),
  );
  await writeFile(file, JSON.stringify({ ...map, names: [], mappings }));
}
