/** What a browser sees until the web UI is built into the server: where the API is. */
export const LANDING_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Security findings service</title>
<style>
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
main { max-width: 42rem; margin: 15vh auto 0; padding: 0 1.5rem }
code { font-family: ui-monospace, monospace; background: #8882; padding: .1em .3em; border-radius: .25em }
</style>
</head>
<body>
<main>
<h1>Security findings service</h1>
<p>The server is running. This version has no web interface yet: people and agents work with the JSON API below
<code>/api/v1</code>, as the README's tour shows.</p>
<p><a href="/healthz">Health</a> · <a href="/metrics">Metrics</a> · <a href="/api/v1/config/auth">Configuration</a></p>
</main>
</body>
</html>
`;
