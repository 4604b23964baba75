// Writes what a process has used into the file in USAGE_FILE when the process exits.
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpu: (userCPUTime + systemCPUTime) / 1e6, memory: maxRSS / 1_024 };
  writeFileSync(process.env.USAGE_FILE, JSON.stringify(usage));
});
