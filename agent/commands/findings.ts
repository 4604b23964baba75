import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Schemas } from '../../lib/client/index.ts';
import { createAgentClient } from '../delivery/client.ts';
import { UsageError } from '../errors.ts';
import { table } from '../output.ts';
import { projectReference } from '../settings.ts';
import { requireConnection, requireProject, startSession } from './common.ts';
import { type CommonFlags, EXIT } from './options.ts';

export interface FindingsFlags extends CommonFlags {
  status?: Schemas['Finding']['status'][];
  severity?: Schemas['Finding']['severity'][];
}

/** Prints the findings of a project. @returns the exit code */
export async function findings(flags: FindingsFlags): Promise<number> {
  const session = startSession(flags);
  const { settings, output } = session;
  const client = createAgentClient(await requireConnection(session));
  const filter = {
    ...projectReference(requireProject(settings)),
    ...(flags.status && { status: flags.status }),
    ...(flags.severity && { severity: flags.severity }),
  };
  const { result: list } = await client.get('/agent/findings', { params: { query: filter } });
  if (flags.json) output.json(list);
  else if (list.length > 0) {
    const rows = list.map(({ id, severity, status, title }) => [id, severity, status, title]);
    output.result(table(rows, { left: true }));
  } else output.note('No findings.');
  return EXIT.ok;
}

/** Sets the status of a finding: `verified` confirms a fix, `open` reopens. @returns the exit code */
export async function setStatus(
  id: string,
  status: 'open' | 'verified',
  flags: CommonFlags,
): Promise<number> {
  const session = startSession(flags);
  const { output } = session;
  const { result } = await createAgentClient(await requireConnection(session)).patch('/agent/findings/{id}', {
    params: { path: { id } },
    body: { status },
  });
  if (flags.json) output.json(result);
  else output.note(`${result.title}: ${result.status}`);
  return EXIT.ok;
}

const LANGUAGES: Record<string, string> = {
  '.c': 'c',
  '.cpp': 'cpp',
  '.go': 'go',
  '.html': 'html',
  '.http': 'http',
  '.java': 'java',
  '.js': 'javascript',
  '.json': 'json',
  '.php': 'php',
  '.pl': 'perl',
  '.ps1': 'powershell',
  '.py': 'python',
  '.rb': 'ruby',
  '.rs': 'rust',
  '.sh': 'bash',
  '.sql': 'sql',
  '.ts': 'typescript',
  '.xml': 'xml',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};

/** Attaches a file to a finding as an exploit. @returns the exit code */
export async function attach(
  id: string,
  file: string,
  flags: CommonFlags & { language?: string },
): Promise<number> {
  const session = startSession(flags);
  const { output } = session;
  let code: string;
  try {
    code = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const language = flags.language ?? LANGUAGES[extname(file).toLowerCase()] ?? 'text';
  const { result } = await createAgentClient(await requireConnection(session)).post(
    '/agent/findings/{id}/exploits',
    {
      params: { path: { id } },
      body: { filename: basename(file), language, code },
    },
  );
  if (flags.json) output.json(result);
  else output.note(`Attached ${result.filename} (${result.language}).`);
  return EXIT.ok;
}
