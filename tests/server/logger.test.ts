import { describe, expect, it } from 'vitest';
import { createLogger } from '../../lib/logger.ts';

describe('the log', () => {
  const logged = (format: 'text' | 'json', level: 'debug' | 'warn' = 'debug') => {
    const lines: string[] = [];
    const clock = () => new Date(0);
    return { lines, log: createLogger({ level, format, write: (line) => lines.push(line), clock }) };
  };

  it('is text or JSON', () => {
    const text = logged('text');
    text.log.info('request', { method: 'GET', ms: 1.5, org: undefined, who: 'Ada L.' });
    expect(text.lines).toEqual(['1970-01-01T00:00:00.000Z info  request method=GET ms=1.5 who="Ada L."\n']);
    const json = logged('json');
    json.log.info('request', { method: 'GET', org: undefined });
    expect(json.lines).toEqual([
      '{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"request","method":"GET"}\n',
    ]);
  });

  it('leaves out what is below its level', () => {
    const { lines, log } = logged('text', 'warn');
    log.info('no');
    log.warn('yes');
    expect(lines).toHaveLength(1);
  });

  it.each(['text', 'json'] as const)('is one line an event in %s, with causes', (format) => {
    const { lines, log } = logged(format);
    const error = new Error('outer', { cause: new Error('inner') });
    log.error('failed', { error, text: 'a\nb\r\n2026 info  forged', list: ['\n'] });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toMatch(/[\r\n]/);
    expect(lines[0]).toContain('outer');
    expect(lines[0]).toContain('inner');
  });
});
