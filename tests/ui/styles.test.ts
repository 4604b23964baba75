import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { expect, it } from 'vitest';
import { theme, variables } from '../../ui/src/theme.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const sources = readdirSync(resolve(root, 'ui/src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(css|tsx?)$/.test(path))
  .map((path) => ({ path, text: read(`ui/src/${path}`) }));
const matches = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, name = '']) => name);

/** The variables of Mantine, of the theme and of the style sheets. */
function defined(): Set<string> {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const resolved = [defaultCssVariablesResolver(merged), variables(merged)];
  const sheets = [read('node_modules/@mantine/core/styles.css'), ...sources.map(({ text }) => text)];
  return new Set([
    ...resolved.flatMap((one) => [one.variables, one.light, one.dark].flatMap((part) => Object.keys(part))),
    ...sheets.flatMap((text) => matches(text, /(--[\w-]+)['"]?\s*:/g)),
  ]);
}

it('style sheets use no variable that nothing defines', () => {
  const known = defined();
  const used = sources.flatMap(({ path, text }) =>
    // A name that goes on in a template is checked by the tests of the component.
    matches(text, /var\((--[\w-]+)\s*\)/g).map((name) => ({ path, name })),
  );
  expect(used.length).toBeGreaterThan(100);
  expect(used.filter(({ name }) => !known.has(name))).toEqual([]);
});

it('style sheets use no light-dark(), which the build replaces by variables that nothing defines', () => {
  const used = sources.filter(({ path, text }) => path.endsWith('.css') && /light-dark\((?!\))/.test(text));
  expect(used.map(({ path }) => path)).toEqual([]);
});

it('data is brighter than controls in the dark theme', () => {
  const { dark } = variables(mergeMantineTheme(DEFAULT_THEME, theme));
  const luminanceOf = (name: string) => luminance(toLinear(dark[`--mantine-color-${name}`] ?? ''));
  for (const control of ['default-color', 'gray-light-color', 'dimmed'])
    expect(luminanceOf('text')).toBeGreaterThan(luminanceOf(control));
});

it('placeholders are readable on pages and cards', () => {
  const { light, dark } = variables(mergeMantineTheme(DEFAULT_THEME, theme));
  for (const [scheme, background] of [
    [light, '#ffffff'],
    [dark, DEFAULT_THEME.colors.dark[6]],
  ] as const) {
    const text = toLinear(scheme['--mantine-color-placeholder'] ?? '');
    expect(contrast(text, toLinear(background))).toBeGreaterThan(4.5);
  }
});

type Rgb = [number, number, number];

const linear = (x: number) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
const toLinear = (hex: string) =>
  [1, 3, 5].map((i) => linear(Number.parseInt(hex.slice(i, i + 2), 16) / 255)) as Rgb;
/** A tenth of a colour on a background. */
const mixed = (hex: string, background: string) =>
  [1, 3, 5].map((i) => {
    const [a = 0, b = 0] = [hex, background].map((one) => Number.parseInt(one.slice(i, i + 2), 16) / 255);
    return linear(0.1 * a + 0.9 * b);
  }) as Rgb;
const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (a: Rgb, b: Rgb) => {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};

/** CIE L*a*b* of a linear colour. */
function lab([r, g, b]: Rgb): Rgb {
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** Colours as people with a colour vision deficiency see them (Machado, Oliveira and Fernandes, 2009). */
const VISIONS: Record<string, Rgb[]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const seenBy = (matrix: Rgb[], color: Rgb) =>
  matrix.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, m, i) => sum + m * (color[i] ?? 0), 0),
      ),
    ),
  ) as Rgb;

it.each([
  ['light', '#ffffff', '#f8f9fa'],
  ['dark', '#242424', '#2e2e2e'],
])(
  'severities differ and can be read in the %s scheme, whatever colours one sees',
  (scheme, ...backgrounds) => {
    const sheet = read('ui/src/styles.css');
    const [, block = ''] = new RegExp(`scheme="${scheme}"\\] \\{([^}]*)`).exec(sheet) ?? [];
    const hexes = Object.fromEntries(
      Array.from(block.matchAll(/--severity-(\w+): (#\w{3,6});/g), ([, name = '', hex = '']) => [
        name,
        hex.length === 4 ? hex.replace(/\w/g, '$&$&') : hex,
      ]),
    );
    const colors = Object.fromEntries(
      Object.entries(hexes).map(([name, hex]) => [name, toLinear(hex)]),
    ) as Record<'critical' | 'high' | 'medium' | 'low' | 'info' | 'letter', Rgb>;
    const { letter, ...severities } = colors;
    expect(Object.keys(severities)).toHaveLength(5);
    for (const [name, color] of Object.entries(severities)) {
      for (const background of backgrounds)
        expect(contrast(color, toLinear(background)), `${name} on ${background}`).toBeGreaterThanOrEqual(4.5);
      // As text on a background that has a tenth of the colour, such as the numbers of a project.
      const tinted = mixed(hexes[name] ?? '', backgrounds[0] ?? '');
      expect(contrast(color, tinted), `${name}, tinted`).toBeGreaterThanOrEqual(4.5);
      expect(contrast(color, letter), `letter of ${name}`).toBeGreaterThanOrEqual(4.5);
    }
    const { critical, high, medium } = severities;
    for (const [vision, matrix] of Object.entries(VISIONS)) {
      const [a, b] = [lab(seenBy(matrix, critical)), lab(seenBy(matrix, high))];
      expect(Math.abs(a[0] - b[0]), `lightness, ${vision}`).toBeGreaterThanOrEqual(8);
      expect(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), `difference, ${vision}`).toBeGreaterThan(18);
    }
    // Medium does not stand out: it is less colourful than what is more severe.
    const colourful = (color: Rgb) => Math.hypot(...(lab(color).slice(1) as [number, number]));
    expect(colourful(medium)).toBeLessThan(Math.max(colourful(critical), colourful(high)));
    if (scheme === 'dark') expect(colourful(medium)).toBeLessThan(colourful(critical));
  },
);
