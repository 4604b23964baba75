/** The names of issue trackers. */
export const trackers = { github: 'GitHub', gitlab: 'GitLab', jira: 'Jira' } as const;
