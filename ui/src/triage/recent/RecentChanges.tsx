import { lazyDialog } from '../../components/dialogs/lazy-dialog.tsx';

/** The recent changes of the user, each with a button that undoes it. */
export const RecentChanges = lazyDialog(
  async () => (await import('./RecentChangesDialog.tsx')).RecentChangesDialog,
);
