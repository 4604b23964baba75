import { Fragment, type ReactNode } from 'react';

export const keyboardShortcuts = 'Keyboard shortcuts';
export const singleKeys = 'Single-key shortcuts';
export const whySingleKeys =
  'Turn them off if you use voice input or press keys by accident. The setting is stored in this browser.';
export const keys = 'Keys';
export const action = 'Action';
export const either = (all: readonly { key: string; shown: ReactNode }[]) =>
  all.map(({ key, shown }, i) => (
    <Fragment key={key}>
      {i > 0 && ' or '}
      {shown}
    </Fragment>
  ));
