interface Props {
  file: string;
  line?: number | undefined;
}

/** A file, and a line of it, which stays behind it whichever way the name turns the writing. */
export function FilePlace({ file, line }: Props) {
  return (
    <>
      <bdi>{file}</bdi>
      {line !== undefined && `:${line}`}
    </>
  );
}
