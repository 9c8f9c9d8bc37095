/**
 * Completion scripts for three shells. Each script is complete: it starts no process. The words
 * before the cursor select the command (`path`); the last of them may be a flag that needs a value.
 */
import type { CommandWords, Flag, Takes } from './completion-tree.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

export function completionScript(shell: Shell, tree: readonly CommandWords[]): string {
  return { bash, zsh, fish }[shell](tree);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const below = (tree: readonly CommandWords[]) => tree.filter(({ path }) => path !== '');
const valued = ({ flags }: CommandWords) =>
  flags.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]));

/** Patterns of "path so far, next word" that select a subcommand. */
function steps(tree: readonly CommandWords[]): string {
  return below(tree)
    .map(({ path }) => quoted(path.includes(' ') ? path : ` ${path}`))
    .join('|');
}

function bash(tree: readonly CommandWords[]): string {
  const reply: Record<Takes, string> = {
    folder: 'COMPREPLY=($(compgen -d -- "$cur"))',
    file: 'COMPREPLY=($(compgen -f -- "$cur"))',
    text: 'COMPREPLY=()',
    nothing: 'COMPREPLY=()',
  };
  const words = (list: readonly string[]) =>
    `COMPREPLY=($(compgen -W ${quoted(list.join(' '))} -- "$cur"))`;
  const values = tree.flatMap((command) =>
    valued(command).map(
      ({ name, value }) =>
        `    ${quoted(`${command.path}:${name}`)}) ${typeof value === 'string' ? reply[value] : words(value)}; return ;;`,
    ),
  );
  const flags = tree.map(
    ({ path, flags }) => `      ${quoted(path)}) ${words(flags.map(({ name }) => name))} ;;`,
  );
  const others = tree.map(({ path, commands, takes }) => {
    const names = commands.length > 0 ? words(commands.map(({ name }) => name)) : '';
    const files =
      takes === 'folder' || takes === 'file'
        ? reply[takes].replace('COMPREPLY=', 'COMPREPLY+=')
        : '';
    return `      ${quoted(path)}) ${[names, files].filter(Boolean).join('; ') || ':'} ;;`;
  });
  return `# bash completion for drumlin: eval "$(drumlin completion bash)"
_drumlin() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${steps(tree)}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path:$prev" in
${values.join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case "$path" in
${flags.join('\n')}
    esac
  else
    case "$path" in
${others.join('\n')}
    esac
  fi
}
complete -o filenames -F _drumlin drumlin
`;
}

function zsh(tree: readonly CommandWords[]): string {
  const reply: Record<Takes, string> = {
    folder: '_files -/',
    file: '_files',
    text: ':',
    nothing: ':',
  };
  const described = (name: string, text: string) =>
    quoted(`${name.replaceAll(':', '\\:')}:${text}`);
  const values = tree.flatMap((command) =>
    valued(command).map(
      ({ name, value }) =>
        `    ${quoted(`${command.path}:${name}`)}) ${typeof value === 'string' ? reply[value] : `compadd -- ${value.join(' ')}`}; return ;;`,
    ),
  );
  const branches = tree.map(({ path, commands, flags, takes }) => {
    const flagList = flags.map(({ name, description }) => described(name, description)).join(' ');
    const names = commands.map(({ name, description }) => described(name, description)).join(' ');
    return `    ${quoted(path)})
      choices=(${flagList})
      if [[ $words[CURRENT] == -* ]]; then _describe -o flag choices; return; fi
      ${names && `choices=(${names}); _describe command choices`}
      ${reply[takes]} ;;`;
  });
  return `#compdef drumlin
# zsh completion for drumlin: drumlin completion zsh > "\${fpath[1]}/_drumlin"
_drumlin() {
  local at= i
  local -a choices
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      (${steps(tree)}) at="\${at:+$at }$words[i]" ;;
    esac
  done
  case "$at:$words[CURRENT-1]" in
${values.map((line) => line.replace(/^ {4}/, '    (')).join('\n')}
  esac
  case "$at" in
${branches.map((branch) => branch.replace(/^ {4}/, '    (')).join('\n')}
  esac
}
if [[ $funcstack[1] == _drumlin ]]; then _drumlin "$@"; else compdef _drumlin drumlin; fi
`;
}

function fish(tree: readonly CommandWords[]): string {
  const at = (path: string) => `-n ${quoted(`__drumlin_at ${quoted(path)}`)}`;
  const from: Record<Takes, string> = {
    folder: "-x -a '(__fish_complete_directories)'",
    file: '-r -F',
    text: '-x',
    nothing: '-x',
  };
  const argument = (value: Flag['value']) => {
    if (value === undefined) return '';
    return typeof value === 'string' ? from[value] : `-x -a ${quoted(value.join(' '))}`;
  };
  const lines = tree.flatMap(({ path, commands, flags, takes }) => [
    ...commands.map(
      ({ name, description }) =>
        `complete -c drumlin ${at(path)} -a ${name} -d ${quoted(description)}`,
    ),
    ...flags.map(({ name, description, value }) =>
      `complete -c drumlin ${at(path)} -l ${name.slice(2)} ${argument(value)} -d ${quoted(description)}`.replace(
        / {2,}/,
        ' ',
      ),
    ),
    ...(takes === 'folder'
      ? [`complete -c drumlin ${at(path)} -a '(__fish_complete_directories)'`]
      : []),
    ...(takes === 'file' ? [`complete -c drumlin ${at(path)} -F`] : []),
  ]);
  return `# fish completion for drumlin: drumlin completion fish > ~/.config/fish/completions/drumlin.fish
function __drumlin_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${steps(tree).replaceAll('|', ' ')}
        set at (string trim "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
complete -c drumlin -f
${lines.join('\n')}
`;
}
