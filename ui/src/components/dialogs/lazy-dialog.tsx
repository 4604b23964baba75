import { type ComponentProps, Suspense, useState } from 'react';
import { lazyNamed } from '../../app/late.ts';
import { useFocusReturn } from './use-focus-return.ts';

/** A dialog whose code is loaded when it is opened for the first time. */
export function lazyDialog<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  const Dialog = lazyNamed(load, name);
  type Props = ComponentProps<typeof Dialog> & { opened: boolean };
  return function LazyDialog(props: Props) {
    const [wanted, setWanted] = useState(false);
    if (props.opened && !wanted) setWanted(true);
    useFocusReturn(props.opened);
    if (!wanted) return null;
    return (
      <Suspense fallback={null}>
        <Dialog {...props} />
      </Suspense>
    );
  };
}
