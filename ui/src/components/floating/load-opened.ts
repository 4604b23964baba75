import { showError } from '../errors/toasts.ts';
import { loadWhenUp } from './floating.ts';

/**
 * Loads the code of a menu or select that the user has opened.
 * @param onFail called after the error was shown
 */
export function loadOpened(onFail: () => void): void {
  loadWhenUp().catch((error) => {
    showError(error);
    onFail();
  });
}
