/** `drumlin completion`: shell completion, generated from the commands themselves. */
import { Argument, type Command } from 'commander';
import type { Shell } from './completion-scripts.ts';

const EXAMPLES = `
Examples:
  eval "$(drumlin completion bash)"                                          add this line to ~/.bashrc
  drumlin completion zsh > "\${fpath[1]}/_drumlin"                            run once, then open a new shell
  drumlin completion fish > ~/.config/fish/completions/drumlin.fish          run once
`;

export function register(program: Command): void {
  program
    .command('completion')
    .description('print a script that lets the shell complete commands, flags and values')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', EXAMPLES)
    .action(async (shell: Shell) => {
      const [{ completionScript }, { commandTree }] = await Promise.all([
        import('./completion-scripts.ts'),
        import('./completion-tree.ts'),
      ]);
      process.stdout.write(completionScript(shell, commandTree(program)));
    });
}
