import { useEffect, useState } from 'react';

/** The seconds until a time. */
export function useCountdown(until: number): number {
  const [now, setNow] = useState(() => Date.now());
  const over = now >= until;
  useEffect(() => {
    if (over) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [over]);
  return Math.max(0, Math.ceil((until - Math.max(now, Date.now())) / 1000));
}
