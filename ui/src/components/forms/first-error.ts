/** Focuses the first invalid field, which may be out of sight, once its error is rendered. @param root the form or the page */
export function focusFirstError(root: ParentNode = document): void {
  requestAnimationFrame(() => root.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus());
}
