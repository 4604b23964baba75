import * as text from '#strings/components/time.ts';
/** Such as "1 h 5 min", "12 min" or "45 s". */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return text.seconds(seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 === 0 || minutes >= 10
      ? text.minutes(minutes)
      : text.minutesAndSeconds(minutes, seconds % 60);
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? text.hours(hours) : text.hoursAndMinutes(hours, minutes % 60);
  return text.days(Math.floor(hours / 24));
}
