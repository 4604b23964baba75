import { lazyDialog } from '../dialogs/lazy-dialog.tsx';

export type { ShortcutList } from './ShortcutDialog.tsx';

/** Lists the shortcuts of a page, and turns single-key shortcuts on and off. */
export const ShortcutHelp = lazyDialog(() => import('./ShortcutDialog.tsx'), 'ShortcutDialog');
