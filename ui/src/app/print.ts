/** Prints in light colours, whatever the colours of the window. */
export function printInLight(): void {
  const { dataset } = document.documentElement;
  let before: string | undefined;
  matchMedia('print').addEventListener('change', ({ matches }) => {
    if (matches) {
      before = dataset.mantineColorScheme;
      dataset.mantineColorScheme = 'light';
    } else if (before) dataset.mantineColorScheme = before;
  });
}
