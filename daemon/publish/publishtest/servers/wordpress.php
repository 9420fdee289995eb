<?php
// Three uses, all with WP_ROOT, WP_URL, WP_CONTENT and WP_SOCKET in the environment:
//
//	php -S 127.0.0.1:PORT wordpress.php   serves the site
//	php wordpress.php install             fills an empty database
//	php wordpress.php users               prints JSON: an application password of each user
//
// WP_CONTENT is the directory of uploads and plugins, WP_SOCKET that of the database.
if (PHP_SAPI === 'cli-server') {
	$path = rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
	if (strpos($path, '..') === false && preg_match('#^/wp-content/uploads/#', $path)) {
		$file = getenv('WP_CONTENT') . substr($path, strlen('/wp-content'));
		if (!is_file($file)) {
			http_response_code(404);
			return;
		}
		header('Content-Type: ' . mime_content_type($file));
		readfile($file);
		return;
	}
	$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
	$_SERVER['SCRIPT_FILENAME'] = getenv('WP_ROOT') . '/index.php';
	chdir(getenv('WP_ROOT'));
	require getenv('WP_ROOT') . '/index.php';
	return;
}

$_SERVER['HTTP_HOST'] = parse_url(getenv('WP_URL'), PHP_URL_HOST);
$_SERVER['REQUEST_URI'] = '/';
$users = ['alice' => 'author', 'bob' => 'contributor', 'carol' => 'subscriber'];
if ($argv[1] === 'install') {
	define('WP_INSTALLING', true);
}
require getenv('WP_ROOT') . '/wp-load.php';
if ($argv[1] === 'install') {
	require_once ABSPATH . 'wp-admin/includes/upgrade.php';
	wp_install('Test site', 'admin', 'admin@example.com', true, '', bin2hex(random_bytes(12)));
	update_option('permalink_structure', '/%postname%/');
	foreach ($users as $name => $role) {
		wp_insert_user(['user_login' => $name, 'user_pass' => bin2hex(random_bytes(12)), 'user_email' => "$name@example.com", 'role' => $role]);
	}
	wp_insert_term('News', 'category', ['slug' => 'news']);
	exit;
}
$passwords = [];
foreach ($users as $name => $role) {
	$user = get_user_by('login', $name);
	[$passwords[$name]] = WP_Application_Passwords::create_new_application_password($user->ID, ['name' => 'schedctl ' . bin2hex(random_bytes(4))]);
}
echo json_encode($passwords);
