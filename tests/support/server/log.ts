import type { Logger } from '../../../lib/logger.ts';

const silent = () => {};

export const silentLog: Logger = { debug: silent, info: silent, warn: silent, error: silent };
