import { type ComponentType, createElement, lazy, type ReactNode, useState } from 'react';
import styles from '../late.css?url';
import { whenUp } from './server.ts';

let loading: Promise<void> | undefined;

/** Loads the styles of components that the first load does not show. A failed load is repeated by the next call. */
export function lateStyles(): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const link = document.createElement('link');
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      loading = undefined;
      reject(new Error('The style sheet could not be loaded.'));
    };
    Object.assign(link, { rel: 'stylesheet', href: styles, crossOrigin: '' });
    document.head.append(link);
  });
  return loading;
}

/** Makes an import also load the styles of components that the first load does not show. It waits for the server. */
export const late = <T>(load: () => Promise<T>): (() => Promise<T>) =>
  whenUp(async () => {
    const [loaded] = await Promise.all([load(), lateStyles()]);
    return loaded;
  });

type PropsOf<Component> = Component extends (props: infer Props) => ReactNode ? Props : never;

/** A component whose module is loaded when it is shown for the first time, or by `load` before. */
export function lazyNamed<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  type Loaded = ComponentType<PropsOf<Module[Name]>>;
  let loaded: Loaded | undefined;
  const read = late(async () => {
    loaded = (await load())[name] as Loaded;
    return { default: loaded };
  });
  const Lazy: ComponentType<PropsOf<Module[Name]>> = lazy(read);
  // A lazy component shows the fallback for a moment even if its module is loaded.
  const Shown = (props: PropsOf<Module[Name]>) => {
    const [Component] = useState(() => loaded ?? Lazy);
    return createElement(Component as ComponentType<object>, props as object);
  };
  return Object.assign(Shown, { load: read });
}
