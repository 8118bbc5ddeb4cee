"""File types for a search without ripgrep: the common ones, under the names ripgrep gives them."""

TYPES: dict[str, tuple[str, ...]] = {
    "c": ("*.[chH]", "*.[chH].in", "*.cats"),
    "cpp": (
        *("*.[ChH]", "*.[ChH].in", "*.[ch]pp", "*.[ch]pp.in", "*.[ch]xx", "*.[ch]xx.in"),
        *("*.cc", "*.cc.in", "*.hh", "*.hh.in", "*.inl"),
    ),
    "cs": ("*.cs",),
    "css": ("*.css", "*.scss"),
    "csv": ("*.csv",),
    "dart": ("*.dart",),
    "docker": ("*Dockerfile*",),
    "go": ("*.go",),
    "graphql": ("*.graphql", "*.graphqls"),
    "html": ("*.ejs", "*.htm", "*.html"),
    "java": ("*.java", "*.jsp", "*.jspx", "*.properties"),
    "js": ("*.cjs", "*.js", "*.jsx", "*.mjs", "*.vue"),
    "json": ("*.json", "*.sarif", "composer.lock"),
    "kotlin": ("*.kt", "*.kts"),
    "lua": ("*.lua",),
    "md": ("*.markdown", "*.md", "*.mdown", "*.mdwn", "*.mdx", "*.mkd", "*.mkdn"),
    "php": ("*.php", "*.php3", "*.php4", "*.php5", "*.php7", "*.php8", "*.pht", "*.phtml"),
    "protobuf": ("*.proto",),
    "py": ("*.py", "*.pyi"),
    "rust": ("*.rs",),
    "scala": ("*.sbt", "*.scala"),
    "sql": ("*.psql", "*.sql"),
    "svelte": ("*.svelte", "*.svelte.ts"),
    "swift": ("*.swift",),
    "toml": ("*.toml", "Cargo.lock"),
    "ts": ("*.cts", "*.mts", "*.ts", "*.tsx"),
    "txt": ("*.txt",),
    "vue": ("*.vue",),
    "xml": (
        *("*.dtd", "*.rng", "*.sch", "*.xhtml", "*.xjb", "*.xml", "*.xml.dist"),
        *("*.xsd", "*.xsl", "*.xslt"),
    ),
    "yaml": ("*.yaml", "*.yml"),
    "zig": ("*.zig",),
}
for _same, _as in (("python", "py"), ("typescript", "ts"), ("markdown", "md")):
    TYPES[_same] = TYPES[_as]
