<?php
// Writes what composer works with, outside the tree: a copy of the package's
// composer.json in which siblings are taken from their working trees.
//
//   php_lay.php key DIR WIRED...             a key of what decides what is installed
//   php_lay.php wire DIR OUT MODE WIRED...   OUT/composer.json, OUT/composer.lock
//
// WIRED is name=folder=version. MODE is full, or bare: nothing can be fetched, and
// what the distribution has stands in.
$wired = [];
foreach (array_slice($argv, $argv[1] === 'wire' ? 5 : 3) as $word) {
    [$name, $folder, $version] = explode('=', $word, 3);
    $wired[$name] = [$folder, $version];
}
$dir = $argv[2];
$read = fn (string $file): object => is_object($d = json_decode((string) @file_get_contents($file))) ? $d : new stdClass();

if ($argv[1] === 'key') {
    echo substr(hash('sha256', @file_get_contents("$dir/composer.json") . "\0" . @file_get_contents("$dir/composer.lock") . "\0" . json_encode($wired)), 0, 24), "\n";
    exit(0);
}

[, , , $out, $mode] = $argv;
$json = $read("$dir/composer.json");
$repositories = [];
foreach ((array) ($json->repositories ?? []) as $key => $repository) {
    if (is_string($key) && is_object($repository)) {
        $repository->name ??= $key;
    }
    $repositories[] = $repository === false ? [$key => false] : $repository;
}
$paths = array_values(array_filter($repositories, fn ($r) => is_object($r) && ($r->type ?? '') === 'path'));
$first = [];
foreach ($wired as $name => [$folder, $version]) {
    if ($mode === 'bare') {
        $sibling = $read("$folder/composer.json");
        $first[] = ['type' => 'package', 'package' => ['name' => $name, 'version' => $version,
            'dist' => ['type' => 'path', 'url' => $folder], 'transport-options' => ['symlink' => true], 'autoload' => $sibling->autoload ?? new stdClass()]];
    } else {
        $first[] = ['type' => 'path', 'url' => $folder, 'options' => ['symlink' => true, 'versions' => [$name => $version]]];
    }
}
$json->repositories = array_merge($first, $mode === 'bare' ? [] : $repositories);
foreach ((array) ($json->extra->{'branch-alias'} ?? []) as $alias) {
    if (is_string($alias)) {
        $json->version ??= $alias; // the workspace has no tags to take it from
    }
}
// What stands in the root's manifest is asked for by whatever version the tree has.
foreach (['require', 'require-dev'] as $section) {
    foreach ($wired as $name => [, $version]) {
        if (isset($json->$section->$name)) {
            $json->$section->$name = $version;
        }
    }
}
if ($mode === 'bare') {
    $found = [];
    foreach (['require', 'require-dev'] as $section) {
        foreach ((array) ($json->$section ?? []) as $name => $version) {
            if (!isset($wired[$name])) {
                unset($json->$section->$name);
                array_push($found, ...distribution($name));
            }
        }
    }
    if (!(array) ($json->require ?? [])) {
        unset($json->require);
    }
    if (!(array) ($json->{'require-dev'} ?? [])) {
        unset($json->{'require-dev'});
    }
    $json->repositories[] = ['packagist' => false];
    $lines = array_map(fn ($file) => 'require_once ' . var_export($file, true) . ";\n", array_unique($found));
    file_put_contents("$out/distribution.php", "<?php\n" . implode($lines));
    $json->{'autoload-dev'} ??= new stdClass();
    $json->{'autoload-dev'}->files = array_merge(["$out/distribution.php"], $json->{'autoload-dev'}->files ?? []);
    unset($json->conflict, $json->replace, $json->provide);
    if (isset($json->config->platform)) {
        unset($json->config->platform);
    }
}
file_put_contents("$out/composer.json", json_encode($json, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE));
if ($mode === 'full' && is_file("$dir/composer.lock")) {
    copy("$dir/composer.lock", "$out/composer.lock");
} else {
    @unlink("$out/composer.lock");
}

// The distribution's copy of a package, by the folder of its autoloader: the words of
// both are the same, in whatever order, or run together.
function distribution(string $name): array
{
    static $all = null;
    $words = function (string $s): array {
        $list = array_diff(preg_split('/[^a-z0-9]+/', strtolower($s), -1, PREG_SPLIT_NO_EMPTY), ['common', 'component']);
        $joined = implode('', $list);
        sort($list);
        return [$joined, implode(' ', array_unique($list))];
    };
    if ($all === null) {
        $all = [];
        foreach (['/usr/share/php/*/autoload.php', '/usr/share/php/*/*/autoload.php', '/usr/share/php/*/*/*/autoload.php'] as $pattern) {
            foreach (glob($pattern) ?: [] as $file) {
                foreach ($words(substr(dirname($file), strlen('/usr/share/php/'))) as $key) {
                    $all[$key] ??= $file;
                }
            }
        }
    }
    foreach ($words($name) as $key) {
        if ($name !== 'phpunit/phpunit' && isset($all[$key])) {
            return [$all[$key]];
        }
    }
    return [];
}
