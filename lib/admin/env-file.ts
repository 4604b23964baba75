import { readFileSync } from 'node:fs';
import { AdminError, EXIT } from './error.ts';

/** Reads a file of settings as systemd reads an `EnvironmentFile` (systemd.exec). @throws AdminError when it cannot be read */
export function readEnvFile(path: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new AdminError(
      `--env-file: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`,
      EXIT.usage,
    );
  }
  return parseEnvFile(text);
}

/** Characters that a backslash in double quotes escapes. Before others it stays. */
const ESCAPED = new Set(['"', '\\', '$', '`']);

/** The settings in a text. Later ones replace earlier ones. */
export function parseEnvFile(text: string): Record<string, string> {
  const settings: Record<string, string> = {};
  let rest = text.replace(/\r\n?/g, '\n');
  while (rest !== '') {
    const [line = ''] = /^[^\n]*/.exec(rest) ?? [];
    const [, name] = /^[ \t]*([A-Za-z_]\w*)[ \t]*=/.exec(line) ?? [];
    if (name === undefined) {
      rest = rest.slice(line.length + 1);
      continue;
    }
    const start = line.indexOf('=') + 1;
    const { value, length } = readValue(rest.slice(start));
    settings[name] = value;
    rest = rest.slice(start + length);
  }
  return settings;
}

/** Reads a value up to the end of its line. Quotes count at its beginning; a backslash at the end of a line continues it. */
function readValue(text: string): { value: string; length: number } {
  let value = '';
  /** Without the spaces at the end that nothing protects. */
  let kept = 0;
  let quote: string | undefined;
  let isPlain = false;
  let at = 0;
  for (; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote === undefined && character === '\n') break;
    if (character === quote) quote = undefined;
    else if (character === '\\' && quote !== "'") {
      at++;
      const escaped = text.charAt(at);
      if (escaped === '\n') continue;
      value += quote === undefined || ESCAPED.has(escaped) ? escaped : `\\${escaped}`;
      isPlain ||= quote === undefined;
      kept = value.length;
    } else if (quote === undefined && !isPlain && /["']/.test(character)) quote = character;
    else if (quote === undefined && /[ \t]/.test(character)) {
      if (isPlain) value += character;
    } else {
      value += character;
      isPlain ||= quote === undefined;
      kept = value.length;
    }
  }
  return { value: value.slice(0, kept), length: at + 1 };
}
