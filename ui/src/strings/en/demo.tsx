import type { ReactNode } from 'react';

/** Shows a key. */
type Key = (name: string) => ReactNode;

export const lookAround = 'Look around first';
export const whatDemoIs =
  'Adds a project with about 200 made-up findings, scans and decisions, and a short tour. You can remove it at any time.';
export const addDemoData = 'Add demo data';
export const addingDemoData = 'Adding demo data';

export const tour = 'Tour of the demo data';
export const whatTourIs = 'Five steps with the made-up findings of the demo project.';
export const hideTour = 'Hide the tour';
export const showTour = 'Show the tour';
export const hasDemoData = 'This organization has demo data.';
export const removeDemoData = 'Remove demo data';
export const removeAsk = 'Remove the demo data?';
export const whatIsRemoved = (project: ReactNode) => (
  <>
    The project {project} is deleted with all its findings and scans, including those that you sent to it. You
    can add demo data again while the organization has no other findings.
  </>
);
export const remove = 'Remove';
export const demoDataRemoved = 'The demo data was removed.';

export const steps = {
  open: {
    title: 'Open a finding',
    hint: (key: Key) => (
      <>
        In the list, {key('j')} and {key('k')} move down and up, and {key('Enter')} opens the finding.
      </>
    ),
    link: 'Open the findings',
  },
  decide: {
    title: 'Decide with a key',
    hint: (key: Key) => (
      <>
        {key('c')} confirms, {key('f')} marks as fixed, {key('p')} marks as a false positive, in the list and
        on the page of a finding.
      </>
    ),
    link: 'Open the new findings',
  },
  undo: {
    title: 'Undo a decision',
    hint: (key: Key) => (
      <>{key('u')} undoes your last decision. “Recent changes” at the top lists earlier ones.</>
    ),
    link: 'Open the findings',
  },
  group: {
    title: 'See findings by rule',
    hint: () => 'One row for each rule, so that you decide about all its findings at once.',
    link: 'Group by rule',
  },
  push: {
    title: 'Send your own findings',
    hint: () => 'Create a project of your own, then upload a report or run svc-agent.',
    link: 'Open the projects',
  },
};
