import { Suspense } from 'react';
import * as text from '#strings/findings/list/preview.ts';
import { lazyNamed } from '../../../app/late.ts';
import { TextSkeleton } from '../../../components/text/TextSkeleton.tsx';
import classes from './Preview.module.css';
import type { PreviewProps } from './Preview.tsx';

const Preview = lazyNamed(() => import('./Preview.tsx'), 'Preview');

/** The preview, whose code is loaded when it is opened for the first time. */
export const LazyPreview = (props: PreviewProps) => (
  <Suspense
    fallback={
      <aside className={classes.preview} aria-label={text.loading}>
        <div className={classes.head} />
        <TextSkeleton />
      </aside>
    }
  >
    <Preview {...props} />
  </Suspense>
);
