import { describe, expect, it } from 'vitest';
import { imported, own } from '../support/importers/importers.ts';

describe('bandit', () => {
  it('masks passwords, also in the source lines of nearby findings', () => {
    const [word, neighbour, password] = imported(own('bandit.json'));
    expect(word?.title).toBe("B105 hardcoded_password_string: Possible hardcoded password: '********'");
    expect(word?.description).toContain(
      "10 PASSWORD = '********'\n11 subprocess.call(cmd, shell=True)  # passes ********",
    );
    expect(neighbour?.description).toContain("10 PASSWORD = '********'\n11 subprocess.call(cmd, shell=True)");
    expect(password?.description).toContain("10 PASSWORD = '********'");
  });
});
