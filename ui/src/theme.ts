import {
  type CSSVariablesResolver,
  createTheme,
  DEFAULT_THEME,
  type MantineColorsTuple,
  rem,
} from '@mantine/core';

/** White on the red of dark buttons would be too pale. */
const red = DEFAULT_THEME.colors.red.with(7, DEFAULT_THEME.colors.red[8]) as unknown as MantineColorsTuple;

export const theme = createTheme({
  primaryColor: 'indigo',
  // White on it, and it on the page, are told apart in both schemes (WCAG 2.2 AA).
  primaryShade: { light: 8, dark: 7 },
  colors: { red },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: rem(26) }, h2: { fontSize: rem(19) }, h3: { fontSize: rem(16) } },
  },
  components: {
    // It would be an element inside the menu that is no item of it.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      // Below a title it would be too pale.
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // In the colours of most alerts a text is too pale on their background.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
  },
});

/** Dimmed text, errors and links with the contrast that WCAG 2.2 AA asks for, on every background of a scheme. */
export const variables: CSSVariablesResolver = (theme) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': theme.colors.gray[7],
    '--mantine-color-error': theme.colors.red[9],
    '--mantine-color-anchor': theme.colors.indigo[9],
  },
  dark: {
    '--mantine-color-dimmed': theme.colors.dark[1],
    '--mantine-color-error': theme.colors.red[4],
    '--mantine-color-anchor': theme.colors.indigo[3],
  },
});
