import { LOG_LEVELS, type LogLevel } from './config/variables.ts';

export type LogFields = Record<string, unknown>;

/** Structured log: a constant message and fields. One event is one line, whatever the fields hold. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LoggerOptions {
  level: LogLevel;
  format: 'text' | 'json';
  /** Takes a line with its line break. */
  write(line: string): void;
  clock?: () => Date;
}

/** A logger for any runtime: it knows no stream and no process. Errors are logged with stack and causes. */
export function createLogger({ level, format, write, clock = () => new Date() }: LoggerOptions): Logger {
  const lowest = LOG_LEVELS.indexOf(level);
  const render = format === 'json' ? jsonLine : textLine;
  const time = createTimeText(clock);
  const at = (name: LogLevel) => {
    if (LOG_LEVELS.indexOf(name) < lowest) return () => {};
    return (message: string, fields?: LogFields) => write(render(time(), name, message, fields));
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** The time as ISO 8601 text, made anew when a millisecond is over. */
function createTimeText(clock: () => Date): () => string {
  let last = Number.NaN;
  let text = '';
  return () => {
    const now = clock();
    if (now.getTime() !== last) {
      last = now.getTime();
      text = now.toISOString();
    }
    return text;
  };
}

function jsonLine(time: string, level: LogLevel, message: string, fields?: LogFields): string {
  const line: LogFields = { time, level, message };
  for (const key in fields) {
    const value = fields[key];
    line[key] = value instanceof Error ? errorText(value) : value;
  }
  return `${jsonText(line)}\n`;
}

function textLine(time: string, level: LogLevel, message: string, fields?: LogFields): string {
  let line = `${time} ${level.padEnd(5)} ${message}`;
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) line += ` ${key}=${textValue(value)}`;
  }
  return `${line}\n`;
}

/** Characters that JSON does not escape but terminals and log viewers interpret: line ends, C1 controls, text direction. */
const OBEYED = /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const jsonText = (value: unknown): string =>
  (JSON.stringify(value) ?? '').replace(
    OBEYED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const PLAIN = /^[\w.:/@{}+-]+$/;

function textValue(value: unknown): string {
  if (value instanceof Error) return jsonText(errorText(value));
  if (typeof value === 'string') return PLAIN.test(value) ? value : jsonText(value);
  return typeof value === 'object' ? jsonText(value) : String(value);
}

/** Message and stack along the causes. Query parameters are no part of it: they hold users' data. */
function errorText(error: Error): string {
  const parts: string[] = [];
  for (let e: unknown = error; e instanceof Error && parts.length < 5; e = e.cause) {
    // Drizzle's message is the whole query with its parameters; what went wrong is its cause.
    if (e.name === 'DrizzleQueryError' || e.message.startsWith('Failed query:')) continue;
    parts.push(e.stack ?? `${e.name}: ${e.message}`);
  }
  return parts.join('\ncaused by: ');
}
