import './mantine.css';
import './styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { TAG } from '#strings/language.ts';
import { createQueries, isTemporary } from './app/api.ts';
import { showCachedFont } from './app/font.ts';
import { isServerUp } from './app/server.ts';
import { sessionQuery } from './app/session.ts';
import { siteOf } from './app/site.ts';
import { ProblemWindow } from './components/errors/Problem.tsx';
import { isExpected } from './components/errors/problem.ts';
import { createPages } from './routes/router.tsx';
import { Overlays } from './shell/Overlays.tsx';
import { sessionEnded } from './shell/SessionEnded.tsx';
import { theme, variables } from './theme.ts';

const queries = createQueries(() => sessionEnded.set(true));
const root = createRoot(document.getElementById('root') as HTMLElement, {
  // Errors that the page explains are not defects and do not belong in the console.
  onCaughtError: (error) => isExpected(error) || reportError(error),
});

const show = (page: React.ReactNode) =>
  root.render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        // No style sheet contains the default values.
        deduplicateCssVariables={false}
        defaultColorScheme="auto"
      >
        {page}
      </MantineProvider>
    </StrictMode>,
  );

// A newer build has replaced the files of this page. Reloading the page loads the new ones. If the server does not
// respond, the page stays.
window.addEventListener('vite:preloadError', async () => {
  const last = Number(sessionStorage.getItem('reloaded'));
  if (Date.now() - last < 60_000 || !(await isServerUp())) return;
  sessionStorage.setItem('reloaded', `${Date.now()}`);
  location.reload();
});

const AGAIN_MS = 5_000;
const font = showCachedFont();
let again: ReturnType<typeof setTimeout> | undefined;

/** Loads the session, which contains the base domain and the organizations of the user, then shows the page. */
async function start(): Promise<void> {
  clearTimeout(again);
  try {
    const [{ base_domain, orgs }] = await Promise.all([queries.query({ ...sessionQuery, retry: 1 }), font]);
    const site = siteOf(location, base_domain, orgs);
    const router = createPages({ queries, site });
    show(
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Overlays site={site} />
      </QueryClientProvider>,
    );
  } catch (error) {
    // Shows the error and retries automatically.
    show(<ProblemWindow error={error} onRetry={start} />);
    if (isTemporary(error)) again = setTimeout(start, AGAIN_MS);
  }
}

/** Prints in light colours, whatever the colours of the window. */
function printInLight(): void {
  const { dataset } = document.documentElement;
  let before: string | undefined;
  matchMedia('print').addEventListener('change', ({ matches }) => {
    if (matches) {
      before = dataset.mantineColorScheme;
      dataset.mantineColorScheme = 'light';
    } else if (before) dataset.mantineColorScheme = before;
  });
}

document.documentElement.lang = TAG;
printInLight();
start();
