export interface Tool {
  /** As the report names it. */
  name: string;
  /** The same for all editions and versions: the source of its findings. */
  id: string;
  /** The source in release 0.2. */
  formerId: string;
}

export function toolOf({ driver }: { driver: { name?: string | undefined } }): Tool {
  const name = driver.name?.trim() || 'sarif';
  return { name, id: slug(withoutEdition(name)), formerId: slug(name) };
}

/** The sources of the findings of tools: a report of “Semgrep PRO” is compared with one of “Semgrep OSS”, and with earlier releases. */
export const sourcesOf = ({ id, formerId }: Tool): string[] => [...new Set([id, formerId])];

/** An edition or a version behind the name of a tool. */
const EDITION =
  /[\s_-]{1,200}\(?(?:(?:oss|pro|professional|community|enterprise|premium|ultimate|free|commercial)(?:[\s_-]{1,200}(?:edition|engine|build|version))?|command[\s-]line\s{1,200}tool(?:chain)?|(?:version\s{1,200})?v?\d{1,200}(?:\.\d{1,200}){1,200}\S{0,200}|v\d{1,200})\)?$/i;

const MAX_NAME = 200;

function withoutEdition(name: string): string {
  if (name.length > MAX_NAME) return name;
  const shorter = name.replace(EDITION, '').trim();
  return shorter === name || shorter === '' ? name : withoutEdition(shorter);
}

const slug = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '') || 'sarif';
