import { type ComponentType, lazy, Suspense, useState } from 'react';
import { late } from '../../app/late.ts';
import { useFocusReturn } from './use-focus-return.ts';

/** A dialog whose code is loaded when it is opened for the first time. */
export function lazyDialog<P extends { opened: boolean }>(load: () => Promise<ComponentType<P>>) {
  const Dialog = lazy(late(async () => ({ default: (await load()) as ComponentType<object> })));
  return function LazyDialog(props: P) {
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
