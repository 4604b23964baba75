import {
  type CSSVariablesResolver,
  createTheme,
  DEFAULT_THEME,
  type MantineColorsTuple,
  rem,
} from '@mantine/core';
import { type ComponentProps, createElement, type MouseEvent } from 'react';
import * as text from '#strings/app.ts';

/** White text on the default red of dark buttons has too little contrast. */
const red = DEFAULT_THEME.colors.red.with(7, DEFAULT_THEME.colors.red[8]) as unknown as MantineColorsTuple;

export const theme = createTheme({
  primaryColor: 'indigo',
  // White text on it, and its text on the page, meet the contrast of WCAG 2.2 AA in both schemes.
  primaryShade: { light: 8, dark: 7 },
  colors: { red },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  // Inter is loaded by `app/font.ts`.
  fontFamily: [
    'Inter',
    'system-ui',
    '-apple-system',
    '"Segoe UI"',
    'Roboto',
    '"Noto Sans"',
    'sans-serif',
  ].join(),
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  // The scale is 12, 13, 14, 16, 20 and 28 px.
  fontSizes: { lg: rem(20), xl: rem(28) },
  fontWeights: { bold: '600' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: rem(20) }, h2: { fontSize: rem(16) }, h3: { fontSize: rem(14) } },
  },
  components: {
    Button: { defaultProps: { component: BusyButton } },
    ActionIcon: { defaultProps: { component: BusyButton } },
    // The placeholder would be an element of the menu that is not a menu item.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': text.close } },
      // Below a title, the default has too little contrast.
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    },
    Modal: {
      defaultProps: {
        closeButtonProps: { 'aria-label': text.close },
        // The header of a dialog is no banner of the page.
        attributes: { header: { role: 'presentation' } },
      },
      styles: { title: { fontWeight: 600, lineHeight: 1.4 } },
    },
    // The default colours of most alerts have too little contrast on their background.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
  },
});

/** Dimmed text, placeholders, errors and links that meet the contrast of WCAG 2.2 AA on every background. */
export const variables: CSSVariablesResolver = (theme) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': theme.colors.gray[7],
    // A placeholder says what an empty field stands for, such as "All projects". The default has a contrast of 2.1.
    '--mantine-color-placeholder': '#68717a',
    // The default leaves a contrast of 4.3 on selected rows.
    '--mantine-color-error': `color-mix(in srgb, ${theme.colors.red[9]}, #000 12%)`,
    '--mantine-color-anchor': theme.colors.indigo[9],
    // The default leaves a contrast of 4.1 to the text of subtle and light buttons.
    '--mantine-color-indigo-light-hover': `color-mix(in srgb, ${theme.colors.indigo[1]}, ${theme.colors.indigo[2]})`,
  },
  // Data is brighter than the controls around it. By default, the text of buttons is white and other text is grey.
  dark: {
    '--mantine-color-text': theme.colors.gray[2],
    '--mantine-color-default-color': theme.colors.dark[0],
    '--mantine-color-gray-light-color': theme.colors.dark[0],
    '--mantine-color-indigo-light-color': theme.colors.indigo[2],
    // By default, what deletes is as white as the rest.
    '--mantine-color-red-light-color': theme.colors.red[4],
    '--mantine-color-dimmed': theme.colors.dark[1],
    '--mantine-color-placeholder': '#9d9d9d',
    '--mantine-color-error': theme.colors.red[4],
    '--mantine-color-anchor': theme.colors.indigo[3],
  },
});

interface Props extends ComponentProps<'button'> {
  'data-loading'?: boolean;
}

/** Keeps the press from the form and from the menu or dialog that the button would open. */
const ignore = (event: MouseEvent) => {
  event.preventDefault();
  event.stopPropagation();
};

/**
 * The element of Mantine's buttons. Mantine disables a button while it loads, and a disabled element loses the focus.
 * This one keeps the focus and ignores presses.
 */
function BusyButton({ type = 'button', disabled, ...props }: Props) {
  // biome-ignore lint/a11y/useButtonType: it is one of the three types, submit in forms
  return createElement('button', {
    ...props,
    type,
    ...(props['data-loading'] ? { 'aria-disabled': true, onClick: ignore } : { disabled }),
  });
}
