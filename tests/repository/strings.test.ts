// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code that is parsed
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../handlers/index.ts';
import { describeApi } from '../../lib/http/openapi/document.ts';
import { PRODUCT } from '../../lib/mail/templates/letter.ts';
import { windowTitle } from '../../ui/src/strings/en/app.ts';
import { textsIn } from '../support/texts.ts';

const ROOT = 'ui/src';

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .filter((path) => !path.startsWith('strings/'))
  .sort();

it('all texts of the web UI are in files for translation', () => {
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((path) =>
    textsIn(path, readFileSync(join(ROOT, path), 'utf8')).map(({ line, text }) => `${path}:${line} ${text}`),
  );
  expect(found, 'move these texts to ui/src/strings (see its README)').toEqual([]);
});

it('the product has one name', () => {
  const read = (path: string) => readFileSync(path, 'utf8');
  const [, productName] = /productName = '(.*)'/.exec(read('ui/src/strings/en/shell.tsx')) ?? [];
  expect([productName, PRODUCT, describeApi(endpoints).info.title, windowTitle('Rules')]).toEqual([
    ...['svc-findings', 'svc-findings', 'svc-findings', 'Rules · svc-findings'],
  ]);
  for (const path of ['ui/index.html', 'handlers/docs/page.ts', 'lib/services.ts', 'ui/src/icon.svg'])
    expect([path, /<title>(?:.* · )?(.*?)<\/title>/.exec(read(path))?.[1]]).toEqual([path, 'svc-findings']);
  expect(read('README.md')).toMatch(/^# .* svc-findings\n\nsvc-findings collects /);
});

describe('a text is found', () => {
  it.each([
    ['between tags', '<p>Save changes</p>'],
    ['with a value', '<p>{count} left</p>'],
    ['in braces', "<p>{'Saved'}</p>"],
    ['of a condition', "<p>{isOn ? text.on : 'Off'}</p>"],
    ['after a condition', "<p>{isOn && 'On'}</p>"],
    ['in a template', '<p>{`${count} findings`}</p>'],
    ['in an attribute', '<input aria-label="Name" />'],
    ['in a conditional attribute', "<Page title={first ? 'First' : undefined} />"],
    ['in a template of an attribute', '<Copy label={`Copy ${name}`} />'],
    ['of an option', "const options = [{ value: 'a', label: 'Any' }];"],
    ['of a toast', "showSuccess('Saved');"],
    ['of a toast with a value', 'showSuccess(`${name} saved`);'],
    [
      'of a dialog',
      "openConfirm({ title: text.remove, labels: { confirm: text.remove, cancel: 'Cancel' } });",
    ],
    [
      'of a validation',
      "const form = useForm({ validate: { name: (name) => (name ? null : 'Required') } });",
    ],
    ['of a field', "form.setFieldError('name', 'Taken');"],
    ['of a window', "useDocumentTitle('Findings');"],
    ['returned as a sentence', "const problem = () => 'Enter a name';"],
    ['in an unknown language', "const format = new Intl.NumberFormat('en');"],
    ['in the language of the browser', 'const shown = count.toLocaleString();'],
  ])('%s', (_, code) => {
    expect(textsIn('planted.tsx', `\n${code}`).map(({ line }) => line)).toEqual([2]);
  });
});

it.each([
  '<p>· {name} →</p>',
  '<Page title={text.members}>{text.all(count)}</Page>',
  '<Badge color="orange" variant="light" data-state={isOn ? "on" : "off"} />',
  "const [first = ''] = kinds.map((kind) => (kind === 'new' ? 'added' : kind));",
  "throw new Error('The browser refused.');",
  'const format = new Intl.NumberFormat(TAG);',
])('no text is found in %s', (code) => expect(textsIn('planted.tsx', code)).toEqual([]));
