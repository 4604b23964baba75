import pkg from '../../package.json' with { type: 'json' };

/** The version of the service and of its commands. */
export const VERSION: string = pkg.version;
