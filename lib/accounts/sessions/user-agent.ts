import UAParser from 'ua-parser-js';

/** The browser and system that a session was created with. */
export interface Device {
  userAgent: string;
  browser: string;
  os: string;
  deviceType: string;
}

/** Parses browser, operating system and device type from a User-Agent header. Unknown values are empty. */
export function parseDevice(header: string | undefined): Device {
  const userAgent = (header ?? '').slice(0, 512);
  const { browser, os, device } = UAParser(userAgent);
  const join = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' ');
  return {
    userAgent,
    browser: join(browser.name, browser.major),
    os: join(os.name, os.version),
    // The parser returns no type for desktops.
    deviceType: device.type ?? (os.name ? 'desktop' : ''),
  };
}
