import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workshop } from './workshop.ts';

/** Each generates a client, compiles it and runs its scenario. Downloads use the registries that the tools are set to. */
export const generators: Record<string, (tools: Workshop) => Promise<void>> = {
  'typescript-fetch': typescript,
  python,
  java,
  'openapi-python-client': openapiPythonClient,
  'oapi-codegen': go,
};

const OPENAPI_GENERATOR = '7.17.0';
const OPENAPI_PYTHON_CLIENT = '0.29.1';
const OAPI_CODEGEN = 'v2.8.2';
/** The dependencies of the clients, in versions that they allow. */
const PYTHON_PACKAGES = {
  generator: [
    'urllib3==2.5.0',
    'python-dateutil==2.9.0.post0',
    'pydantic==2.12.4',
    'typing-extensions==4.15.0',
  ],
  client: ['httpx==0.28.1', 'attrs==25.4.0', 'python-dateutil==2.9.0.post0'],
};
const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

async function openapiGenerator(tools: Workshop, generator: string, out: string, ...args: string[]) {
  const { run, need, yaml, dir } = tools;
  await need('java', '-version');
  await need('mvn', '--version');
  const artifact = `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`;
  const maven = [
    '-q',
    '-B',
    `${DEPENDENCY_PLUGIN}:copy`,
    `-Dartifact=${artifact}`,
    `-DoutputDirectory=${dir}`,
  ];
  await run('mvn', maven);
  const jar = join(dir, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`);
  await run('java', ['-jar', jar, 'generate', '-i', yaml, '-g', generator, '-o', out, ...args]);
}

async function typescript(tools: Workshop) {
  const { run, dir, env, scenario, site } = tools;
  await openapiGenerator(tools, 'typescript-fetch', 'client');
  await scenario('scenario.ts', 'scenario.ts');
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom'],
    typeRoots: [join(site.root, 'node_modules/@types')],
    types: ['node'],
  };
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await writeFile(join(dir, 'package.json'), '{"type":"module"}');
  await run(process.execPath, [join(site.root, 'node_modules/typescript-native/bin/tsc'), '-p', '.']);
  await run(process.execPath, [join(site.root, 'node_modules/tsx/dist/cli.mjs'), 'scenario.ts'], env);
}

async function java(tools: Workshop) {
  const { run, env, scenario, dir } = tools;
  await need(tools, 'javac');
  const properties = '--additional-properties=library=native,useSingleRequestParameter=true';
  await openapiGenerator(tools, 'java', '.', properties);
  await scenario('Scenario.java', 'src/main/java/Scenario.java');
  const classpath = join(dir, 'classpath.txt');
  const goals = ['compile', `${DEPENDENCY_PLUGIN}:build-classpath`, `-Dmdep.outputFile=${classpath}`];
  await run('mvn', ['-q', '-B', ...goals]);
  // Java reads arguments from a file; the class path is long.
  await run('sh', ['-c', 'exec java -cp "target/classes:$(cat classpath.txt)" Scenario'], env);
}

const need = ({ need }: Workshop, command: string) => need(command, '-version');

async function python(tools: Workshop) {
  const { scenario } = tools;
  await openapiGenerator(tools, 'python', '.');
  await scenario('scenario_generator.py', 'scenario.py');
  await runPython(tools, PYTHON_PACKAGES.generator);
}

async function openapiPythonClient(tools: Workshop) {
  const { run, json, scenario } = tools;
  const python = await virtualEnvironment(tools, [`openapi-python-client==${OPENAPI_PYTHON_CLIENT}`]);
  const args = ['generate', '--path', json, '--output-path', 'client', '--meta', 'none'];
  await run(python, ['-m', 'openapi_python_client', ...args]);
  await scenario('scenario_openapi_python_client.py', 'scenario.py');
  await runPython(tools, PYTHON_PACKAGES.client);
}

async function runPython(tools: Workshop, packages: readonly string[]) {
  const { run, env } = tools;
  const python = await virtualEnvironment(tools, packages);
  await run(python, ['-m', 'compileall', '-q', '-x', 'environment', '.']);
  await run(python, ['scenario.py'], env);
}

/** @returns its Python */
async function virtualEnvironment(
  { run, need, dir }: Workshop,
  packages: readonly string[],
): Promise<string> {
  await need('python3', '-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))');
  await run('python3', ['-m', 'venv', 'environment']);
  const python = join(dir, 'environment/bin/python');
  await run(python, ['-m', 'pip', 'install', '--quiet', ...packages]);
  return python;
}

async function go({ run, need, yaml, dir, scenario, env }: Workshop) {
  await need('go', 'version');
  await mkdir(join(dir, 'findings'));
  await writeFile(join(dir, 'go.mod'), GO_MOD);
  const tool = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${OAPI_CODEGEN}`;
  const args = ['-generate', 'types,client', '-package', 'findings', '-o', 'findings/client.go', yaml];
  await run('go', ['run', tool, ...args]);
  await scenario('main.go', 'main.go');
  await run('go', ['mod', 'tidy']);
  await run('go', ['vet', './...']);
  await run('go', ['run', '.'], env);
}

const GO_MOD = `module example.com/scenario

go 1.24

require (
	github.com/google/uuid v1.6.0
	github.com/oapi-codegen/runtime v1.8.0
)
`;
