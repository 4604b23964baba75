interface Props {
  file: string;
  line?: number | undefined;
}

/** A file and line. The line stays after the name, whatever the writing direction of the name. */
export function FileLocation({ file, line }: Props) {
  return (
    <>
      <bdi>{file}</bdi>
      {line !== undefined && `:${line}`}
    </>
  );
}
