import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTS, { astToString } from 'openapi-typescript';
import { endpoints } from '../handlers/index.ts';
import type { Access } from '../lib/http/access/access.ts';
import { describeApi, type OpenApiDocument, toYaml } from '../lib/http/openapi.ts';
import { SPEC_ENDPOINTS } from '../tests/support/contract/spec.ts';

/*
 * Writes the types of the client from the API's description; with --check it writes nothing, and says what is out of
 * date or wrong instead: the endpoints against the specification's tables, the description against OpenAPI 3.0 and
 * Redocly's recommended rules, the types against the description.
 */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const TYPES = join(root, 'lib/client/schema.ts');
const document = describeApi(endpoints);

const generated = `// Made by \`npm run api:generate\` from the API's description.\n\n${astToString(
  await openapiTS(JSON.stringify(successesOf(document), withoutAlternatives), { defaultNonNullable: false }),
)}`;

if (!process.argv.includes('--check')) {
  await mkdir(dirname(TYPES), { recursive: true });
  await writeFile(TYPES, generated);
} else {
  const wrong = [...compareEndpoints(), ...(await validate()), ...(await lint()), ...(await compareTypes())];
  for (const line of wrong) process.stderr.write(`${line}\n`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

/** Which of several fields are required cannot be said in the types that are made; they would allow anything. */
function withoutAlternatives(key: string, value: unknown): unknown {
  const isAlternative = (schema: object) => Object.keys(schema).join() === 'required';
  return key === 'oneOf' && (value as object[]).every(isAlternative) ? undefined : value;
}

/** The description without its errors, which the client throws, and without what is no type. */
function successesOf({ components, paths, ...rest }: OpenApiDocument) {
  const operations = Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item as Record<string, { responses: Record<string, object> }>).map(
        ([method, { responses, ...operation }]) => [
          method,
          {
            ...operation,
            responses: Object.fromEntries(
              Object.entries(responses)
                .filter(([status]) => Number(status) < 300)
                .map(([status, response]) => [status, { ...response, headers: undefined }]),
            ),
          },
        ],
      ),
    ),
  ]);
  const { schemas, parameters } = components ?? {};
  return { ...rest, components: { schemas, parameters }, paths: Object.fromEntries(operations) };
}

function compareEndpoints(): string[] {
  const WHO: Record<Access['kind'], string> = {
    public: 'public',
    baseDomainOnly: 'base domain',
    cookie: 'cookie',
    cookieOrg: 'cookie+org',
    bearer: 'bearer',
  };
  const listed = Object.values(endpoints).map(({ method, path, access }) => {
    const role = access.kind === 'cookieOrg' && access.role !== 'viewer' ? `, ${access.role}` : '';
    return `${method} ${path} ${WHO[access.kind]}${role}`;
  });
  return [
    ...SPEC_ENDPOINTS.filter((line) => !listed.includes(line)).map((line) => `not an endpoint: ${line}`),
    ...listed
      .filter((line) => !SPEC_ENDPOINTS.includes(line))
      .map((line) => `not in the specification: ${line}`),
  ];
}

async function validate(): Promise<string[]> {
  const { valid, errors } = await new Validator().validate({ ...document });
  return valid ? [] : [`not OpenAPI 3.0: ${JSON.stringify(errors)}`];
}

async function lint(): Promise<string[]> {
  const file = join(root, 'dist/openapi.yaml');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, toYaml(document));
  const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js');
  const args = [redocly, 'lint', file, '--max-problems', '100', '--format', 'json'];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  // It exits with 1 when there are errors.
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env }).catch(
    (error) => error,
  );
  const { problems } = JSON.parse(stdout) as {
    problems: { message: string; location: { pointer: string }[] }[];
  };
  return problems.map(({ message, location }) => `redocly: ${message} at ${location[0]?.pointer}`);
}

async function compareTypes(): Promise<string[]> {
  const current = await readFile(TYPES, 'utf8').catch(() => '');
  return current === generated ? [] : ['lib/client/schema.ts is out of date: npm run api:generate'];
}
