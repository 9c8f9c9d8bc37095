/** Numbers and times for people. */
export const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : Math.round(value).toLocaleString('en');

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let [size, unit] = [value, 0];
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit > 0 && size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

export function duration(millis: number | null | undefined): string {
  if (millis === null || millis === undefined) return '–';
  const seconds = Math.round(millis / 1000);
  if (millis < 1000) return `${Math.round(millis)} ms`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export const share = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : `${(100 * value).toFixed(1)} %`;

/** `20260314150926` or milliseconds. */
export function moment(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const text = typeof value === 'number' ? new Date(value).toISOString() : value;
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(text);
  if (digits)
    return `${digits[1]}-${digits[2]}-${digits[3]} ${digits[4]}:${digits[5]}:${digits[6]}`;
  return text.slice(0, 19).replace('T', ' ');
}
