import UAParser from 'ua-parser-js';

/** What a session stores of the browser it was made with. */
export interface Device {
  userAgent: string;
  browser: string;
  os: string;
  deviceType: string;
}

/** Reads browser, operating system and kind of device from a User-Agent header; empty text when unknown. */
export function parseDevice(header: string | undefined): Device {
  const userAgent = (header ?? '').slice(0, 512);
  const { browser, os, device } = UAParser(userAgent);
  const join = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' ');
  return {
    userAgent,
    browser: join(browser.name, browser.major),
    os: join(os.name, os.version),
    // The parser names only what is not a desktop.
    deviceType: device.type ?? (os.name ? 'desktop' : ''),
  };
}
